/**
 * As SQL over a row of `webhooks`: the ids of the keys that its secrets are encrypted with now, the one before a rotation
 * included while it signs too. Empty when its secret is gone, as that of a deleted webhook is in the end.
 */
export const secretKeyIds = `array_remove(ARRAY[secret_key_id,
  CASE WHEN previous_secret_until > now() THEN previous_secret_key_id ELSE '' END], '')`;
