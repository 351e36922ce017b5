// How plain comments and names are: stand-ins ("it", "those", "none") in 100 words of comments, which make a reader
// look for their subject, and mentions of variables with a bare generic name (`known`, `taken`) in 1,000 lines of code.
// Tests are not counted.
import { Visitor } from 'rolldown/utils';
import { isTypeScript, parse, textOf } from './sources.mjs';

const STAND_INS = new Set('it its that those these they one none such this so other same'.split(' '));
const BARE_NAMES = new Set('known left held open taken made given others own found asked'.split(' '));

/** Comments and the code between them. The header of a statement is its comments. */
function split(file) {
  const text = textOf(file);
  if (file.endsWith('.css')) return { comments: [], code: '' };
  if (file.endsWith('.sql')) {
    const comments = [...text.matchAll(/--(.*)/g)].map(([, comment]) => comment);
    return { comments, code: text.replaceAll(/--.*/g, '') };
  }
  const { comments } = parse(file);
  let code = '';
  let end = 0;
  for (const comment of comments) {
    code += text.slice(end, comment.start);
    end = comment.end;
  }
  return { comments: comments.map(({ value }) => value), code: code + text.slice(end) };
}

/** Mentions of variables, parameters, functions and declared fields; not `result.found`, which has a subject. */
function countBareNames(file) {
  let count = 0;
  const add = (node, difference) => {
    if (node.type === 'Identifier' && BARE_NAMES.has(node.name)) count += difference;
  };
  new Visitor({
    Identifier: (node) => add(node, 1),
    MemberExpression: ({ computed, property }) => !computed && add(property, -1),
    Property: ({ computed, key }) => !computed && add(key, -1),
  }).visit(parse(file).program);
  return count;
}

/** What some files count up to: stand-ins and words of comments, bare names and lines of code without comments. */
export function countProse(files) {
  const counts = { standIns: 0, words: 0, bareNames: 0, codeLines: 0 };
  for (const file of files) {
    const { comments, code } = split(file);
    const words = comments.flatMap((comment) => comment.replaceAll(/`[^`]*`/g, ' ').match(/[A-Za-z']+/g) ?? []);
    counts.words += words.length;
    counts.standIns += words.filter((word) => STAND_INS.has(word.toLowerCase())).length;
    counts.codeLines += code.split('\n').filter((line) => line.trim() !== '').length;
    if (isTypeScript(file) || /\.[cm]?js$/.test(file)) counts.bareNames += countBareNames(file);
  }
  return counts;
}

const rate = (count, total, per) => (total === 0 ? 0 : Math.round((10 * per * count) / total) / 10);

/** Stand-ins in 100 words, and bare names in 1,000 lines, with one decimal. */
export const ratesOf = ({ standIns, words, bareNames, codeLines }) => ({
  standIns: rate(standIns, words, 100),
  bareNames: rate(bareNames, codeLines, 1000),
});
