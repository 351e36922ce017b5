/** A sentence of the API about a webhook, without what a program would set: the console has a button for it. */
export const inConsole = (sentence: string): string => sentence.replace(/ Set isActive to true\.$/u, '');
