import { readdir } from 'node:fs/promises';
import path from 'node:path';

const source = path.resolve(import.meta.dirname, '../..');

/** Loads all that this package ships, so that every statement is known. */
export async function importAllModules(): Promise<void> {
  const files = await readdir(source, { recursive: true });
  const modules = files.filter((file) => /^(?!generated|(.*\/)?test\/).*(?<!\.test)\.ts$/.test(file));
  for (const file of modules) await import(`../../${file}`);
}
