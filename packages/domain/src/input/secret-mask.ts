/** Reads show this instead of a secret; in an update it means 'unchanged'. */
export const secretMask = '********';
