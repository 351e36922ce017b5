/** `User-Agent` of every callout and message: receivers know Callout by it, in any installation. */
export const userAgent = 'Callout/1.0';
