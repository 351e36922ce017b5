/** A name as words: `CompanyWebhookFields` is `company webhook fields`. */
export function spacedWords(name: string): string {
  return name.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
