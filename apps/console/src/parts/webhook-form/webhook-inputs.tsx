import { Stack } from '@mantine/core';
import type { FormSection } from '@callout/webhooks/settings/settings';
import type { ReactNode } from 'react';
import type { Entity } from '../../api/entities.ts';
import { ChangePreview } from '../condition-form/change-preview.tsx';
import { errorsAt } from '../form/form.ts';
import { OptionalSection } from '../form/optional-section.tsx';
import { lazyPart } from '../lazy-part.tsx';
import { Section } from '../page.tsx';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { settingsIn } from '../settings-form/form-settings.ts';
import type { SettingsProps } from '../settings-form/setting-control.tsx';
import { type Editors, SettingInputs, SubscriptionInputs } from '../settings-form/setting-inputs.tsx';
import { FieldsEditor } from './fields-editor.tsx';
import { PayloadPreview } from './payload-preview.tsx';
import { conditionSummary, excludedSummary, receiverSummary, type Summary, summaryOf } from './summaries.ts';
import type { WebhookDraft } from './webhook-draft.ts';

// Few webhooks have any of the three, and the inputs of lists are large.
const ConditionEditor = lazyPart(() => import('../condition-form/condition-editor.tsx'));
const ReceiverInputs = lazyPart(() => import('../receiver-form/receiver-inputs.tsx'));
const ExcludedEditor = lazyPart(() => import('./excluded-editor.tsx'));

interface DraftProps {
  readonly entity: Entity;
  readonly draft: WebhookDraft;
  /** What is stored of the receiver: the secrets can stay. */
  readonly storedReceiver: ReceiverDraft;
  readonly set: (change: Partial<WebhookDraft>) => void;
  /** Undefined: not stored yet. */
  readonly id?: number;
  /** Of the settings of the draft; the error is about the whole draft. */
  readonly settings: SettingsProps;
  /** What signs the callouts, above and below the kind of the signature, and the line about the closed section. */
  readonly secret: { readonly inputs: ReactNode; readonly below?: ReactNode; readonly summary: Summary };
}

interface WebhookInputsProps extends DraftProps {
  /** Above the inputs: what only a new webhook can choose. */
  readonly first?: ReactNode;
  /** Below the inputs, such as the button that saves. */
  readonly children: ReactNode;
}

/** A form about a webhook: what every webhook needs, the options, and beside both what the draft would send. */
export function WebhookInputs({ first, children, ...props }: WebhookInputsProps) {
  const { entity, id, draft } = props;
  return (
    <div className="webhook-form">
      <Stack gap={36} className="webhook-essentials">
        <Section title="Basics">
          {first}
          <SettingInputs section="basics" {...inputsProps(props)} />
          <SubscriptionInputs entityType={entity.type} {...props.settings} />
        </Section>
        <Fields {...props} />
      </Stack>
      <Stack gap={36} className="webhook-previews">
        <PayloadPreview entity={entity} draft={draft} receiver={draft.receiver} />
        <ChangePreview entity={entity} id={id} draft={draft} />
      </Stack>
      <Stack gap={36} className="webhook-options">
        <Section title="Options" lead="Each has a usual value. Open what you need.">
          <div>
            <Options {...props} />
          </div>
        </Section>
        {children}
      </Stack>
    </div>
  );
}

function Fields({ entity, draft, set, settings }: DraftProps) {
  return (
    <FieldsEditor
      entity={entity}
      fields={draft.fields}
      set={(fields) => set({ fields })}
      isForUpdates={draft.settings.isSubscribedToUpdateEvents}
      error={errorsAt(settings.error, 'fields', 'udfFields', 'fieldID', 'udfFieldID')}
    />
  );
}

/** What the inputs of every section have in common. */
function inputsProps({ entity, id, draft, storedReceiver, set, settings, secret }: DraftProps) {
  const editors: Editors = {
    condition: (
      <ConditionEditor
        entity={entity}
        condition={draft.settings.condition ?? ''}
        set={(condition) => settings.set({ condition: condition || null })}
        error={errorsAt(settings.error, 'condition')}
      />
    ),
    receiver: (
      <ReceiverInputs
        draft={draft.receiver}
        stored={storedReceiver}
        set={(change) => set({ receiver: { ...draft.receiver, ...change } })}
        error={settings.error}
      />
    ),
    secret: secret.inputs,
  };
  return { ...settings, entityType: entity.type, isNew: id === undefined, editors };
}

function Options(props: DraftProps) {
  const { draft, set, settings, secret } = props;
  return (
    <>
      <SettingsSection title="Format" section="format" {...props} />
      <SettingsSection
        title="Condition"
        lead="A callout is sent only when these comparisons hold: Now is the value after the change, Before the value that it replaced."
        section="condition"
        summary={conditionSummary(draft.settings)}
        {...props}
      />
      <OptionalSection
        title="Excluded resources"
        isLazy
        lead="What these people and programs change makes no callout. Exclude your own integration, so that it is not notified of what it wrote itself."
        {...excludedSummary(draft.excluded)}
      >
        <ExcludedEditor
          excluded={draft.excluded}
          set={(excluded) => set({ excluded })}
          error={errorsAt(settings.error, 'excludedResources', 'resourceID')}
        />
      </OptionalSection>
      <SettingsSection title="Delivery" section="delivery" {...props} />
      <SettingsSection title="Mail and deactivation" section="notices" {...props} />
      <SettingsSection title="Secret and signature" section="signature" summary={secret.summary} {...props}>
        {secret.below}
      </SettingsSection>
      <SettingsSection
        title="Authentication and headers"
        section="receiver"
        summary={receiverSummary(draft.receiver)}
        {...props}
      />
    </>
  );
}

/** Sections whose inputs are fetched when the section is opened. */
const lazySections: ReadonlySet<FormSection> = new Set(['condition', 'delivery', 'signature', 'receiver']);

interface SettingsSectionProps extends DraftProps {
  readonly title: string;
  readonly lead?: string;
  readonly section: FormSection;
  /** Absent: the words of the settings. */
  readonly summary?: Summary;
  /** Below the settings. */
  readonly children?: ReactNode;
}

/** A closed section of settings; nothing while no setting of the section has a control. */
function SettingsSection({ title, lead, section, summary, children, ...props }: SettingsSectionProps) {
  const { entity, draft } = props;
  if (settingsIn(section, entity.type, draft.settings).length === 0) return null;
  return (
    <OptionalSection
      title={title}
      lead={lead}
      isLazy={lazySections.has(section)}
      {...(summary ?? summaryOf(section, entity.type, draft.settings))}
    >
      <SettingInputs section={section} {...inputsProps(props)} />
      {children}
    </OptionalSection>
  );
}
