import { readdir } from 'node:fs/promises';
import path from 'node:path';

const packages = path.resolve(import.meta.dirname, '../../..');
/** Packages that have statements. */
const names = ['database', 'pipeline', 'webhooks', 'tenancy', 'history', 'transfer'];

/** Loads all shipped modules with statements, so that every statement is registered. */
export async function importAllModules(): Promise<void> {
  for (const name of names) {
    const files = await readdir(path.join(packages, name, 'src'), { recursive: true });
    const modules = files.filter((file) =>
      /^(?!generated|(.*\/)?(test|fixtures)\/).*(?<!\.(test|fixture))\.ts$/.test(file),
    );
    for (const file of modules) await import(`@callout/${name}/${file.slice(0, -'.ts'.length)}`);
  }
}
