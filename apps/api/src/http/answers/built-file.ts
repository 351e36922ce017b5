import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Request, Response } from 'express';
import { Problem } from '@callout/core/errors';

/** Names of built files: nothing that could lead out of the directory, and no hidden file. */
const FILE = /^\/(?:[\w-][\w.-]*\/)*[@\w-][\w-]*(?:\.[\w-]+)+$/u;
/** Their names hold a hash of what is in them, so they never change. */
const HASHED = /^\/assets\//u;
const YEAR_S = 31_536_000;
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** Whether a path, from the directory on, can be that of a built file. */
export function isFileName(name: string): boolean {
  return FILE.test(name);
}

/**
 * Answers with a file of a directory that was built beforehand: a compressed one where there is one and the client takes
 * it.
 * @param name from the directory on, with a slash before it; `isFileName` must hold for it.
 * @throws Problem 404 with a sentence about `what` ("The console") when there is no such file.
 */
export async function sendBuiltFile(
  { directory, what }: { readonly directory: string; readonly what: string },
  name: string,
  request: Request,
  response: Response,
): Promise<void> {
  const encoding = await encodingOf(path.join(directory, name), request);
  response.type(path.extname(name));
  response.set({
    Vary: 'Accept-Encoding',
    'Cache-Control': HASHED.test(name) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    ...(encoding && { 'Content-Encoding': encoding.name }),
  });
  await new Promise<void>((resolve, reject) => {
    const options = { root: directory, cacheControl: false, acceptRanges: false };
    response.sendFile(`${name}${encoding?.suffix ?? ''}`, options, (error?: Error & { status?: number }) => {
      if (error === undefined || response.headersSent) resolve();
      else reject(error.status === 404 ? Problem.notFound(`${what} has no file ${name}.`) : error);
    });
  }).catch((error: unknown) => {
    for (const header of ['Content-Encoding', 'Content-Type', 'Cache-Control']) response.removeHeader(header);
    throw error;
  });
}

/** The first that the client takes and there is a file for. */
async function encodingOf(file: string, request: Request): Promise<(typeof encodings)[number] | undefined> {
  for (const encoding of encodings) {
    if (request.acceptsEncodings(encoding.name) !== encoding.name) continue;
    const isThere = await stat(`${file}${encoding.suffix}`).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isThere) return encoding;
  }
  return undefined;
}
