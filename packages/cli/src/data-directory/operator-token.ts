import { randomBytes } from 'node:crypto';
import type { DataDirectory } from './data-directory.ts';

const FILE = 'operator-token';

/** The token of the operator API, in the form of `OPERATOR_TOKEN`. Made once, so that scripts find the same again. */
export async function operatorTokenIn(directory: Pick<DataDirectory, 'read' | 'write'>): Promise<string> {
  const known = (await directory.read(FILE))?.trim();
  if (known) return known;
  const made = randomBytes(32).toString('hex');
  await directory.write(FILE, `${made}\n`);
  return made;
}
