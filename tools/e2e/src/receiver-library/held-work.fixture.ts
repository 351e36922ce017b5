/** How the work of an example is held. */
export interface HeldWork {
  /** Where its work begins. */
  readonly start: RegExp;
  /** What stands there instead: the same, and code that waits. */
  readonly hold: string;
}

const typescript: HeldWork = {
  start: /onCallout: \(\{ payload \}\) => \{\n/u,
  hold: `onCallout: async ({ payload }) => {
    const { existsSync, readFileSync } = await import('node:fs');
    const gate = process.env['GATE'] ?? '';
    console.log('begun');
    while (!existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 10));
    if (readFileSync(gate, 'utf8') === 'fail') throw new Error('It was made to fail.');
`,
};

/** By the name of the language. The failure is the worst that its language has. */
const works: Readonly<Record<string, HeldWork>> = {
  'TypeScript, Express': typescript,
  'TypeScript, Fastify': typescript,
  Python: {
    start: /def handle\(callout\):\n {4}""".*?"""\n/u,
    hold: `$&    print("begun", flush=True)
    while not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)
    with open(os.environ["GATE"]) as gate:
        if gate.read() == "fail":
            raise RecursionError("It was made to fail.")
`,
  },
  Go: {
    start: /func handle\(c callout\) error \{\n/u,
    hold: `$&	fmt.Println("begun")
	for {
		if gate, err := os.ReadFile(os.Getenv("GATE")); err == nil {
			if string(gate) == "fail" {
				panic("It was made to fail.")
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
`,
  },
  Java: {
    start: /private static void handle\(String callout\) \{\n/u,
    hold: `$&    System.out.println("begun");
    java.nio.file.Path gate = java.nio.file.Path.of(System.getenv("GATE"));
    try {
      while (!java.nio.file.Files.exists(gate)) Thread.sleep(10);
      if (java.nio.file.Files.readString(gate).equals("fail")) throw new AssertionError("It was made to fail.");
    } catch (IOException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
`,
  },
  'C#': {
    start: /static void Handle\(JsonElement callout\)\n\{\n/u,
    hold: `$&    Console.WriteLine("begun");
    var gate = Environment.GetEnvironmentVariable("GATE")!;
    while (!File.Exists(gate)) Thread.Sleep(10);
    if (File.ReadAllText(gate) == "fail") throw new InvalidOperationException("It was made to fail.");
`,
  },
  PHP: {
    start: /function handle\(array \$callout\): void\n\{\n/u,
    hold: `$&    file_put_contents('php://stdout', "begun\\n");
    while (!file_exists(getenv('GATE'))) {
        usleep(10000);
        clearstatcache();
    }
    if (file_get_contents(getenv('GATE')) === 'fail') {
        ini_set('memory_limit', '16M');
        str_repeat('It was made to use too much memory.', 1 << 20); // ends the program: nothing can catch it
    }
`,
  },
  Ruby: {
    start: /def handle\(callout\)\n/u,
    hold: `$&  $stdout.write("begun\\n")
  $stdout.flush
  sleep 0.01 until File.exist?(ENV['GATE'])
  raise NotImplementedError, 'It was made to fail.' if File.read(ENV['GATE']) == 'fail'

`,
  },
};

/** How the work of the example in a language is held. */
export function heldWork(language: string): HeldWork {
  const work = works[language];
  if (work === undefined) throw new Error(`held-work.fixture.ts does not say how the work in ${language} is held.`);
  return work;
}
