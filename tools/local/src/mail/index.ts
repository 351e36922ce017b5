export { type CaughtMail, parseMail } from './caught-mail.ts';
export { type MailCatcher, startMailCatcher } from './start-mail-catcher.ts';
