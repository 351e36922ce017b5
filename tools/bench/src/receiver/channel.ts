import type { ChildProcess } from 'node:child_process';

interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly never[];
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Answers the calls of the process that forked this one, and ends with it. */
export function serveParent<F extends { [Name in keyof F]: (...args: never[]) => unknown }>(functions: F): void {
  async function answerTo({ id, name, args }: Call): Promise<Answer> {
    try {
      return { id, value: await functions[name as keyof F](...args) };
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) };
    }
  }
  process.on('message', (call: Call) => void answerTo(call).then((answer) => process.send?.(answer)));
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches all processes of the terminal: the benchmark decides in which order things stop.
  process.on('SIGINT', () => undefined);
}

/** The functions of a forked process, each as a promise. */
export type CallChild<F> = <Name extends keyof F & string>(
  name: Name,
  ...args: F[Name] extends (...given: infer Args) => unknown ? Args : never
) => Promise<F[Name] extends (...given: never[]) => infer Result ? Awaited<Result> : never>;

export function callsTo<F>(child: ChildProcess): CallChild<F> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  child.on('message', ({ id, value, error }: Answer) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) caller?.resolve(value);
    else caller?.reject(new Error(error));
  });
  const call = (name: string, ...args: readonly unknown[]) =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, { resolve, reject });
      child.send({ id: calls, name, args });
    });
  return call as CallChild<F>;
}
