interface Part {
  readonly field?: string;
  readonly udf?: boolean;
  readonly items?: readonly Part[];
}

/** The text of a condition after a user-defined field got another name. It spells names as definitions have them. */
export function renameUdf(text: string, from: string, to: string): string {
  const rename = (part: Part): Part => {
    const { field, udf, items } = part;
    if (items !== undefined) return { ...part, items: items.map(rename) };
    if (udf !== true) return part;
    if (field === from) return { ...part, field: to };
    return field === `previous.${from}` ? { ...part, field: `previous.${to}` } : part;
  };
  return JSON.stringify(rename(JSON.parse(text) as Part));
}
