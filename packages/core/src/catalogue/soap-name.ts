/** A camelCase name in PascalCase. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What the SOAP API calls a field that has no name of its own there. */
export function soapNameOf(name: string): string {
  return name === 'id' ? 'id' : pascalCase(name);
}
