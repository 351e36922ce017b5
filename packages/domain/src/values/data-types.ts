/** Data types of fields and user-defined fields. `list` is for user-defined fields: the id of a list value. */
export const dataTypes = ['string', 'integer', 'long', 'double', 'decimal', 'boolean', 'datetime', 'list'] as const;

export type DataType = (typeof dataTypes)[number];
