/** The label of a field: its name as words, abbreviations kept, such as `Field ID` for `FieldID`. */
export function fieldLabel(soapName: string): string {
  const words = soapName
    .replaceAll(/([a-z\d])(?=[A-Z])/gu, '$1 ')
    // The last capital of several begins the next word, as in SICCode.
    .replaceAll(/([A-Z]{2,})(?=[A-Z][a-z])/gu, '$1 ');
  return words === 'id' ? 'ID' : words;
}
