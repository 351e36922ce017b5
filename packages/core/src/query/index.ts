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
export { createCursors, type Cursors, type Position } from './cursors/cursor.ts';
export { createListCursors, type ListCursors, type ListPosition } from './cursors/list-cursor.ts';
export type { CursorScope } from './cursors/sealed-token.ts';
export { evaluate } from './evaluate.ts';
export { foldText } from './fold-text.ts';
export { maxConditions, maxFilterDepth, maxOrBranches } from './parse/filter-reading.ts';
export { parseQuery } from './parse/parse-query.ts';
export { maxPageSize, querySchema } from './parse/query-schema.ts';
