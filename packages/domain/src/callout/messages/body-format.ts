import { alertFormats, type AlertFormat, type MessageFormat } from '../../alert/alert.ts';
import type { PayloadFormat } from '../payload-format.ts';

/** The format of the bodies of a webhook, by its two settings. */
export function bodyFormatOf({
  alertFormat,
  payloadFormat,
}: {
  readonly alertFormat: AlertFormat;
  readonly payloadFormat: PayloadFormat;
}): PayloadFormat | MessageFormat {
  return alertFormat === 'json' ? payloadFormat : alertFormat;
}

export function isMessageFormat(format: PayloadFormat | MessageFormat): format is MessageFormat {
  return (alertFormats as readonly string[]).includes(format);
}
