import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressed = /\.(?:css|js|svg)$/u;
/** A smaller file is one packet in any case. */
const leastBytes = 1_000;
/** Nearly as small as 11, in a fifth of the time: the build is part of the first start. */
const brotliQuality = 9;

const toBrotli = promisify<Buffer, object, Buffer>(brotliCompress);
const toGzip = promisify<Buffer, object, Buffer>(gzip);

/** Puts `.br` and `.gz` beside each built file, once, so no process ever compresses while serving. */
export function precompress(): Plugin {
  let directory = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved({ root, build }) {
      directory = path.resolve(root, build.outDir);
    },
    async closeBundle() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && compressed.test(entry.name));
      await Promise.all(files.map((entry) => compressFile(path.join(entry.parentPath, entry.name))));
    },
  };
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < leastBytes) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [br, gz] = await Promise.all([toBrotli(bytes, { params }), toGzip(bytes, { level: 9 })]);
  // A compressed file of another build would be served in place of the new file.
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}
