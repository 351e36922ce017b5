export { confirmAddress, type ConfirmationRequest, findConfirmation, requestConfirmation } from './confirmations.ts';
export { claimDueMail, type DueMail, giveUpOldMail, settleMail } from './due-mail.ts';
export { tellOfFailingWebhooks } from './failing.ts';
export { gatherMail, type GatherRules } from './gather-mail.ts';
export { keepAlerts } from './installation-alerts.ts';
export { listMails, type MailItem, retryMail } from './mail-administration.ts';
export { type Notification, storeNotifications } from './notifications.ts';
export { findOverdueCallout, findRefusedMail, oldestPendingEvent } from './overdue.ts';
