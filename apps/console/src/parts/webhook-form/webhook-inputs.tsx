import type { Entity } from '../../api/entities.ts';
import { ChangePreview } from '../condition-form/change-preview.tsx';
import { ConditionEditor } from '../condition-form/condition-editor.tsx';
import { errorsAt } from '../form/form.ts';
import { Section } from '../page.tsx';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { ExcludedEditor } from './excluded-editor.tsx';
import { FieldsEditor } from './fields-editor.tsx';
import { PayloadInputs } from './payload-inputs.tsx';
import { PayloadPreview } from './payload-preview.tsx';
import { DigestInput, MailInputs, RateInputs, type SettingsInputsProps } from './settings-inputs.tsx';
import type { WebhookDraft } from './webhook-draft.ts';

interface WebhookInputsProps {
  readonly entity: Entity;
  readonly draft: WebhookDraft;
  /** What its calls carry beside the signature. */
  readonly receiver: ReceiverDraft;
  readonly set: (change: Partial<WebhookDraft>) => void;
  /** Undefined: it is not stored yet. */
  readonly id?: number;
  /** Of the settings of the draft; its error is about all of the draft. */
  readonly settings: SettingsInputsProps;
}

/** Which fields are watched, what callouts look like and when they are sent; and what the draft would send. */
export function CalloutInputs({ entity, id, draft, receiver, set, settings }: WebhookInputsProps) {
  return (
    <>
      <FieldsEditor
        entity={entity}
        fields={draft.fields}
        set={(fields) => set({ fields })}
        isForUpdates={draft.settings.isSubscribedToUpdateEvents}
        error={errorsAt(settings.error, 'fields', 'udfFields', 'fieldID', 'udfFieldID')}
      />
      <Section title="What callouts look like">
        <PayloadInputs {...settings} />
      </Section>
      <ConditionEditor
        entity={entity}
        condition={draft.settings.condition}
        set={(condition) => settings.set({ condition })}
        error={errorsAt(settings.error, 'condition')}
      />
      <PayloadPreview entity={entity} draft={draft} receiver={receiver} />
      <ChangePreview entity={entity} id={id} draft={draft} />
    </>
  );
}

/** Whose changes are left out, how fast callouts go out, and who is notified. */
export function DeliveryInputs({ draft, set, settings }: WebhookInputsProps) {
  return (
    <>
      <ExcludedEditor
        excluded={draft.excluded}
        set={(excluded) => set({ excluded })}
        error={errorsAt(settings.error, 'excludedResources', 'resourceID')}
      />
      <RateInputs {...settings} />
      <MailInputs {...settings} />
      <DigestInput {...settings} />
    </>
  );
}
