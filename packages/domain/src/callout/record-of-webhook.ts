/** Callouts of one webhook and record are sent one after another. */
export interface RecordOfWebhook {
  readonly webhookKey: number;
  readonly recordId: number;
}
