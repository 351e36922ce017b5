export { confirmationKeyPurpose, confirmationToken, hashConfirmationToken } from './confirmation-token.ts';
export { oneLine } from './text/clean-text.ts';
export { type InstallationAlertName, installationAlerts } from './installation-alerts.ts';
export { isAllowedMailDomain, isMailAddress, mailDomainRefused } from './mail-address.ts';
export type { MailContext } from './mail-context.ts';
export { judgeMail, type MailOutcome, mailTriedForMs, type MailVerdict } from './mail-retry.ts';
export type { NotificationContent, NotificationKind } from './notification.ts';
export { durationInWords } from './text/words.ts';
export { writeMail, type WrittenMail } from './write-mail.ts';
