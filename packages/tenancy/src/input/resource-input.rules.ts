import { booleanInput, textInput } from '@callout/domain/input/input-schemas';
import { isMailAddress } from '@callout/domain/mail/mail-address';
import { operatorInput, readOperatorInput } from './operator-input.rules.ts';

/** The keys of a resource that operators set. */
export interface ResourceSettings {
  /** Gets the mails about webhooks of the resource. */
  readonly email: string;
  readonly canCreateWebhooks: boolean;
}

/** An inactive resource's credentials are refused, and the webhooks of the resource become inactive too. */
export type ResourceChanges = Partial<ResourceSettings> & { readonly isActive?: boolean };

const input = operatorInput({
  email: textInput(254).refine(isMailAddress, 'must be one plain e-mail address such as ops@example.com'),
  canCreateWebhooks: booleanInput,
  isActive: booleanInput,
});

export function parseResourceCreate(body: unknown): ResourceSettings {
  const { email, canCreateWebhooks = false } = readOperatorInput(body, input, ['email']);
  return { email, canCreateWebhooks };
}

export function parseResourceChanges(body: unknown): ResourceChanges {
  return readOperatorInput(body, input);
}
