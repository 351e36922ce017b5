import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Request, Response } from 'express';
import { Problem } from '@callout/domain/problem';
import { LRUCache } from 'lru-cache';

/** Paths of built files: no path leads out of the directory, and no file is hidden. */
const FILE = /^\/(?:[\w-][\w.-]*\/)*[@\w-][\w-]*(?:\.[\w-]+)+$/u;
/** The names of these files contain a hash of their content, so the files never change. */
const HASHED = /^\/assets\//u;
const YEAR_S = 31_536_000;
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

interface BuiltFiles {
  readonly directory: string;
  /** For the message about a missing file, like "The console". */
  readonly what: string;
  /** Browsers save the files instead of showing them. */
  readonly isDownload?: boolean;
}

/** Whether a path, from the directory on, can be that of a built file. */
export function isFileName(name: string): boolean {
  return FILE.test(name);
}

/**
 * Responds with a file of a directory that was built before: a compressed file if there is one and the client accepts
 * the coding. All responses share the bytes of a file. `express.static` keeps a file open for each reader,
 * also for as long as a reader takes nothing (`built-file.test.ts`).
 * @param name the path within the directory, with a leading slash; `isFileName` must be true for it.
 * @throws Problem 404 with a sentence about `what` when there is no such file.
 */
export async function sendBuiltFile(
  { directory, what, isDownload = false }: BuiltFiles,
  name: string,
  request: Request,
  response: Response,
): Promise<void> {
  const file = await findFile(path.join(directory, name), request);
  if (file === undefined) throw Problem.notFound(`${what} has no file ${name}.`);
  response.type(path.extname(name));
  if (isDownload) response.set(downloadHeaders(name));
  response.set({
    Vary: 'Accept-Encoding',
    'Cache-Control': HASHED.test(name) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    // Weak, since a file may be written twice within the precision of its time.
    ETag: `W/"${file.bytes.length.toString(16)}-${Math.trunc(file.mtimeMs).toString(16)}"`,
    'Last-Modified': new Date(file.mtimeMs).toUTCString(),
    ...(file.encoding && { 'Content-Encoding': file.encoding }),
  });
  response.send(file.bytes);
}

/** Sources are served as text, although `.ts` is a film elsewhere. */
function downloadHeaders(name: string) {
  const type = /\.tgz$/u.test(name) ? 'application/gzip' : /\.json$/u.test(name) ? 'application/json' : 'text/plain';
  return {
    'Content-Type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    'Content-Disposition': `attachment; filename="${path.basename(name)}"`,
  };
}

interface BuiltFile {
  readonly mtimeMs: number;
  readonly bytes: Buffer;
}

/** The first compressed form that the client accepts and that exists, else the file itself. */
async function findFile(file: string, request: Request): Promise<(BuiltFile & { encoding?: string }) | undefined> {
  for (const { name, suffix } of encodings) {
    if (request.acceptsEncodings(name) !== name) continue;
    const compressed = await readBuiltFile(`${file}${suffix}`);
    if (compressed !== undefined) return { ...compressed, encoding: name };
  }
  return readBuiltFile(file);
}

/** More than console and documentation have together. */
const MOST_KEPT_BYTES = 64 * 1_048_576;
const keptFiles = new LRUCache<string, BuiltFile>({
  maxSize: MOST_KEPT_BYTES,
  sizeCalculation: ({ bytes }) => bytes.length + 1,
});

/** A file as it is now; the bytes are read again only when the file has changed. */
async function readBuiltFile(file: string): Promise<BuiltFile | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  const keptFile = keptFiles.get(file);
  if (keptFile?.mtimeMs === stats.mtimeMs && keptFile.bytes.length === stats.size) return keptFile;
  const readAgain = { mtimeMs: stats.mtimeMs, bytes: await readFile(file) };
  keptFiles.set(file, readAgain);
  return readAgain;
}
