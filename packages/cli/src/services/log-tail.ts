import { open } from 'node:fs/promises';

const MOST_LINES = 15;
const MOST_BYTES = 32 * 1024;
const MOST_CHARACTERS = 500;

/** The last lines of a log, as one reads them. */
export async function logTail(file: string): Promise<string> {
  const log = await open(file, 'r');
  try {
    const { size } = await log.stat();
    const start = Math.max(0, size - MOST_BYTES);
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(size - start), position: start });
    return readableLog(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await log.close();
  }
}

/** @param text lines of JSON from our processes, and any other output. */
export function readableLog(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-MOST_LINES).map(readableLine).join('\n');
}

interface LogLine {
  time?: string;
  level?: string;
  msg?: string;
  err?: { message?: string };
}

function readableLine(line: string): string {
  let text = line;
  try {
    const { time = '', level = '', msg = '', err } = JSON.parse(line) as LogLine;
    text = `${time.slice(11, 19)} ${level}: ${msg}${err?.message === undefined ? '' : ` (${err.message})`}`;
  } catch (error) {
    // Node's output at a crash is no JSON, and is shown unchanged.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `  ${text.slice(0, MOST_CHARACTERS)}`;
}
