import { readdir } from 'node:fs/promises';
import path from 'node:path';

const packages = path.resolve(import.meta.dirname, '../../..');
/** Packages that have statements. */
const names = ['database', 'pipeline', 'webhooks', 'tenancy', 'history', 'transfer'];

/** All statement files of all packages, named as for `statementFrom`. */
export async function listSqlFiles(): Promise<string[]> {
  const found = names.map(async (name) => {
    const files = await readdir(path.join(packages, name, 'src'), { recursive: true });
    return files
      .filter((file) => file.endsWith('.sql'))
      .map((file) => file.replace(/(^|\/)sql\//, '$1').slice(0, -'.sql'.length))
      .map((file) => (name === 'pipeline' ? file : `${name}:${file}`));
  });
  return (await Promise.all(found)).flat().toSorted();
}

/** Loads all shipped modules with statements, so that every statement is registered. */
export async function importAllModules(): Promise<void> {
  for (const name of names) {
    const files = await readdir(path.join(packages, name, 'src'), { recursive: true });
    const modules = files.filter((file) =>
      /^(?!generated|(.*\/)?(test|fixtures)\/).*(?<!\.(test|fixture))\.ts$/.test(file),
    );
    // By path, since packages export only some of their modules.
    for (const file of modules) {
      await import(`./${path.relative(import.meta.dirname, path.join(packages, name, 'src', file))}`);
    }
  }
}
