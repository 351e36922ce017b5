/** Reads show the mask instead of a secret; in an update the mask means 'unchanged'. */
export const secretMask = '********';
