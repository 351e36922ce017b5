import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Entity } from '../../api/entities.ts';
import { ChangePreview } from '../condition-form/change-preview.tsx';
import { ConditionEditor } from '../condition-form/condition-editor.tsx';
import { errorsAt } from '../form/form.ts';
import { OptionalSection } from '../form/optional-section.tsx';
import { lazyPart } from '../lazy-part.tsx';
import { Section } from '../page.tsx';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { SignatureInput } from '../signing-keys/signature-input.tsx';
import { FieldsEditor } from './fields-editor.tsx';
import { AlertInputs, FormatInputs, hasFormat } from './payload-inputs.tsx';
import { PayloadPreview } from './payload-preview.tsx';
import { ActionInputs, AddressInputs, NoticeInputs, type SettingsInputsProps } from './settings-inputs.tsx';
import { receiverSummary, type Summary, summaryOf } from './summaries.ts';
import type { WebhookDraft } from './webhook-draft.ts';

// Few webhooks have any of these, and their inputs for lists and numbers are large.
const DeliveryInputs = lazyPart(() => import('./delivery-inputs.tsx'));
const ReceiverInputs = lazyPart(() => import('../receiver-form/receiver-inputs.tsx'));
const ExcludedEditor = lazyPart(() => import('./excluded-editor.tsx'));

interface WebhookInputsProps {
  readonly entity: Entity;
  readonly draft: WebhookDraft;
  /** Secrets of the receiver that can be kept. */
  readonly storedReceiver: ReceiverDraft;
  readonly set: (change: Partial<WebhookDraft>) => void;
  /** Undefined: it is not stored yet. */
  readonly id?: number;
  /** Of the settings of the draft; its error is about all of the draft. */
  readonly settings: SettingsInputsProps;
  /** Above the inputs: what only a new webhook can choose. */
  readonly first?: ReactNode;
  /** What signs its callouts, above the kind of the signature, and what the closed section says of both. */
  readonly secret: { readonly inputs: ReactNode; readonly below?: ReactNode; readonly summary: Summary };
  /** Below the inputs, such as the button that saves. */
  readonly children: ReactNode;
}

/** A form about a webhook: what each one needs, what most leave as it is, and beside it what the draft would send. */
export function WebhookInputs(props: WebhookInputsProps) {
  const { entity, id, draft, first, children } = props;
  return (
    <div className="webhook-form">
      <Stack gap={36} className="webhook-essentials">
        <Essentials {...props} first={first} />
      </Stack>
      <Stack gap={36} className="webhook-previews">
        <PayloadPreview entity={entity} draft={draft} receiver={draft.receiver} />
        <ChangePreview entity={entity} id={id} draft={draft} />
      </Stack>
      <Stack gap={36} className="webhook-options">
        <Section title="Options" lead="Each has a usual value. Open what you need.">
          <div>
            <Options {...props} />
            <ReceiverOptions {...props} />
          </div>
        </Section>
        {children}
      </Stack>
    </div>
  );
}

function Essentials({ entity, draft, set, settings, first }: WebhookInputsProps) {
  return (
    <>
      <Section title="Basics">
        {first}
        <AddressInputs {...settings} />
        <AlertInputs {...settings} />
        <ActionInputs {...settings} />
      </Section>
      <FieldsEditor
        entity={entity}
        fields={draft.fields}
        set={(fields) => set({ fields })}
        isForUpdates={draft.settings.isSubscribedToUpdateEvents}
        error={errorsAt(settings.error, 'fields', 'udfFields', 'fieldID', 'udfFieldID')}
      />
    </>
  );
}

function Options({ entity, id, draft, set, settings }: WebhookInputsProps) {
  return (
    <>
      {hasFormat(draft.settings) && (
        <OptionalSection title="Format" {...summaryOf('format', draft)}>
          <FormatInputs {...settings} />
        </OptionalSection>
      )}
      <OptionalSection
        title="Condition"
        lead="A callout is sent only when these comparisons hold: Now is the value after the change, Before the value that it replaced."
        {...summaryOf('condition', draft)}
      >
        <ConditionEditor
          entity={entity}
          condition={draft.settings.condition}
          set={(condition) => settings.set({ condition })}
          error={errorsAt(settings.error, 'condition')}
        />
      </OptionalSection>
      <OptionalSection
        title="Excluded resources"
        isLazy
        lead="What these people and programs change makes no callout. Exclude your own integration, so that it is not notified of what it wrote itself."
        {...summaryOf('excluded', draft)}
      >
        <ExcludedEditor
          excluded={draft.excluded}
          set={(excluded) => set({ excluded })}
          error={errorsAt(settings.error, 'excludedResources', 'resourceID')}
        />
      </OptionalSection>
      <OptionalSection title="Delivery" isLazy {...summaryOf('delivery', draft)}>
        <DeliveryInputs {...settings} />
      </OptionalSection>
      <OptionalSection title="Mail and deactivation" {...summaryOf('notices', draft)}>
        <NoticeInputs {...settings} isNew={id === undefined} />
      </OptionalSection>
    </>
  );
}

function ReceiverOptions({ draft, storedReceiver, set, settings, secret }: WebhookInputsProps) {
  return (
    <>
      <OptionalSection title="Secret and signature" isLazy {...secret.summary}>
        {secret.inputs}
        <SignatureInput
          value={draft.settings.signatureKind}
          set={(signatureKind) => settings.set({ signatureKind })}
          error={errorsAt(settings.error, 'signatureKind')}
        />
        {secret.below}
      </OptionalSection>
      <OptionalSection title="Authentication and headers" isLazy {...receiverSummary(draft.receiver)}>
        <ReceiverInputs
          draft={draft.receiver}
          stored={storedReceiver}
          set={(change) => set({ receiver: { ...draft.receiver, ...change } })}
          error={settings.error}
        />
      </OptionalSection>
    </>
  );
}
