/** A name as words: `CompanyWebhookFields` is `company webhook fields`. */
export function spacedWords(name: string): string {
  return name.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** A camelCase name in PascalCase. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The default name of a field in the SOAP API. */
export function soapNameOf(name: string): string {
  return name === 'id' ? 'id' : pascalCase(name);
}
