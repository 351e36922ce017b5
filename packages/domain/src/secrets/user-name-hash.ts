import { hash } from 'node:crypto';

/** The form of user names in the table of failed authentications. */
export function userNameHash(foldedUserName: string): Buffer {
  return hash('sha256', foldedUserName, 'buffer');
}
