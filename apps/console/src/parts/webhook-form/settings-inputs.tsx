import { Checkbox, Group, Switch, TextInput } from '@mantine/core';
import { errorsAt, inputsOf } from '../form/form.ts';
import type { WebhookSettings } from './webhook-draft.ts';

export interface SettingsInputsProps {
  readonly settings: WebhookSettings;
  readonly set: (change: Partial<WebhookSettings>) => void;
  /** The refusal of the API, whose sentences stand at the inputs that they are about. */
  readonly error: unknown;
}

export const settingsInput = ({ settings, set, error }: SettingsInputsProps) => inputsOf(settings, set, error);

/** What the webhook is called and where it leads. */
export function AddressInputs(props: SettingsInputsProps) {
  const input = settingsInput(props);
  return (
    <>
      <TextInput
        label="Name"
        description="Appears in the subject of mails about it"
        required
        maxLength={50}
        {...input.text('name')}
      />
      <TextInput
        label="URL"
        description="Callouts are sent here with POST; pull: keeps them until a program fetches them"
        required
        type="url"
        maxLength={500}
        {...input.text('webhookUrl')}
      />
    </>
  );
}

const actions = [
  { key: 'isSubscribedToCreateEvents', label: 'Created records' },
  { key: 'isSubscribedToUpdateEvents', label: 'Changed fields' },
  { key: 'isSubscribedToDeleteEvents', label: 'Deleted records' },
] as const;

/** What makes a callout, fields apart. */
export function ActionInputs({ settings, set, error }: SettingsInputsProps) {
  return (
    <Checkbox.Group
      label="Send a callout for"
      value={actions.flatMap(({ key }) => (settings[key] ? [key] : []))}
      onChange={(chosen) =>
        set(Object.fromEntries(actions.map(({ key }) => [key, (chosen as readonly string[]).includes(key)])))
      }
      error={actions.map(({ key }) => errorsAt(error, key)).find((one) => one !== undefined)}
    >
      <Group mt={6}>
        {actions.map(({ key, label }) => (
          <Checkbox key={key} value={key} label={label} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

interface NoticeInputsProps extends SettingsInputsProps {
  /** An empty deactivation URL is the URL of the callouts: only a webhook that is created begins without one. */
  readonly isNew: boolean;
}

/** Who is notified when something is wrong with the webhook. */
export function NoticeInputs({ isNew, ...props }: NoticeInputsProps) {
  const input = settingsInput(props);
  const url = input.text('deactivationUrl');
  return (
    <>
      <TextInput
        label="Mail also to"
        description="Besides the owner of the webhook, who gets a mail when its receiver fails or it is deactivated"
        placeholder="ops@example.com"
        type="email"
        maxLength={150}
        {...input.text('notificationEmailAddress')}
      />
      <Switch
        label="Mail when the hourly threshold holds callouts back"
        {...input.check('sendThresholdExceededNotification')}
      />
      <TextInput
        label="Deactivation URL"
        description="Called when the webhook becomes inactive or is deleted; pull: lets a program fetch that call"
        placeholder={isNew ? 'the URL of the callouts' : ''}
        required={!isNew}
        type="url"
        maxLength={500}
        {...url}
        error={url.value !== '' && url.error}
      />
    </>
  );
}
