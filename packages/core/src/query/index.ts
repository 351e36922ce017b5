export { defineCollection, type QueryableCollection, type QueryableField } from './collection.ts';
export {
  type Condition,
  type FieldRef,
  type IncludedFields,
  numericTypes,
  type OneOfCondition,
  type OrderCondition,
  type OrderOperator,
  type Query,
  type TextCondition,
} from './condition.ts';
export { createCursors, type Cursors, type Position } from './cursor.ts';
export { evaluate } from './evaluate.ts';
export { maxConditions, maxFilterDepth, maxOrBranches } from './filter-reading.ts';
export { foldText } from './fold-text.ts';
export { createListCursors, type ListCursors, type ListPosition } from './list-cursor.ts';
export { operatorNames } from './operators.ts';
export { maxPageSize, parseQuery } from './parse-query.ts';
export type { CursorScope } from './sealed-token.ts';
