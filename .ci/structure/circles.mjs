// Subjects, the folders of a package, do not import each other in a circle. The console is not checked: its imports are
// JSX, which oxlint reads.
import path from 'node:path';
import { sources, textOf } from './sources.mjs';

/** The subject that a file belongs to: the folder below `src`, or below `rest`. Null: it puts subjects together. */
function subjectOf(file) {
  return /^(?:apps|packages|tools)\/[^/]+\/src\/(?:rest\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null;
}

/** Which subjects import which: by the importing subject the imported subjects, each with an import that shows it. */
function readArrows() {
  const arrows = new Map();
  for (const file of sources.filter((source) => source.endsWith('.ts') && !source.startsWith('apps/console/'))) {
    for (const [, target] of textOf(file).matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'/gm)) {
      const [from, to] = [subjectOf(file), subjectOf(path.join(path.dirname(file), target))];
      if (from !== to && from !== null && to !== null)
        arrows.set(from, (arrows.get(from) ?? new Map()).set(to, `${file} → ${target}`));
    }
  }
  return arrows;
}

/** Subjects that import each other, directly or by way of others. */
export function circles() {
  const arrows = readArrows();
  const circlesByName = new Map();
  const done = new Set();
  const visit = (subject, way) => {
    const at = way.indexOf(subject);
    if (at >= 0) {
      const circle = way.slice(at);
      const first = circle.indexOf(circle.toSorted()[0]);
      const steps = [...circle.slice(first), ...circle.slice(0, first)];
      const imports = steps.map((step, index) => `  ${arrows.get(step).get(steps[(index + 1) % steps.length])}`);
      circlesByName.set(steps.join(' → '), imports.join('\n'));
    } else if (!done.has(subject)) {
      for (const next of arrows.get(subject)?.keys() ?? []) visit(next, [...way, subject]);
      done.add(subject);
    }
  };
  for (const subject of arrows.keys()) visit(subject, []);
  return [...circlesByName].map(([circle, imports]) => `a circle: ${circle}\n${imports}`);
}
