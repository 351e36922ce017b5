// A folder has few files, and files are named by their paths and not by barrels.
import path from 'node:path';
import { sources } from './sources.mjs';

const MOST_FILES = 16;
const MOST_BARRELS = 25;

export function fullFolders() {
  const counts = new Map();
  for (const file of sources) {
    if (!file.endsWith('.sql')) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(
      ([folder, count]) => `${folder} has ${count} source files: at most ${MOST_FILES} are easy to find one's way in`,
    );
}

export function tooManyBarrels() {
  const barrels = sources.filter((file) => /\/index\.ts$/.test(file));
  return barrels.length > MOST_BARRELS ? [`${barrels.length} barrels: name files by their paths instead`] : [];
}
