import {
  type AllSettings,
  type FormSection,
  type Setting,
  settings as declared,
  settingsOf,
  type SettingValues,
} from '@callout/webhooks/settings/settings';

type ReceiverKey = 'requestHeaders' | 'receiverAuth' | 'caCertificate';
type HealthKey = 'alertFormat' | 'alertRoutingKey';

/**
 * The values of settings in a form, as they are stored, with a mask in place of a secret. Editors of several settings
 * have drafts apart. Webhooks on webhook health alone have the settings of messages.
 */
export type WebhookSettings = Omit<AllSettings, 'secretKey' | ReceiverKey | HealthKey> &
  Partial<Pick<AllSettings, HealthKey>>;

/** The name of each setting, as in tables. */
export const settingNames: ReadonlyMap<string, string> = new Map(declared.map(({ key, form }) => [key, form.name]));

const kinds = new Map<string, Setting['type']['kind']>(declared.map(({ key, type }) => [key, type.kind]));

/** The settings of webhooks on an entity whose values are a part of `WebhookSettings`. */
const listedFor = (entityType: string) =>
  settingsOf(entityType).filter(({ form }) => form.editor !== 'receiver' && form.editor !== 'secret');

const emptyOf = ({ default: usual = '' }: Setting) => usual;

/** What the form of a new webhook on an entity begins with. */
export function initialSettings(entityType: string): WebhookSettings {
  const entries = listedFor(entityType).map((setting) => [setting.key, setting.form.initial ?? emptyOf(setting)]);
  return Object.fromEntries(entries);
}

/** The settings of a form for webhooks on another entity: each value stays where the entity has the setting. */
export function settingsForEntity(entityType: string, settings: WebhookSettings): WebhookSettings {
  const initial = Object.entries(initialSettings(entityType));
  const entries = initial.map(([key, value]) => [key, key in settings ? (settings as SettingValues)[key] : value]);
  return { ...(Object.fromEntries(entries) as WebhookSettings), condition: null };
}

/** The settings in an item of the API. */
export function settingsOfItem(entityType: string, item: object): WebhookSettings {
  const values = item as SettingValues;
  const entries = listedFor(entityType).map((setting) => {
    const value = values[setting.key] ?? emptyOf(setting);
    return [setting.key, setting.type.kind === 'condition' && value !== null ? JSON.stringify(value) : value];
  });
  return Object.fromEntries(entries);
}

type SettingsBody = Partial<Record<keyof WebhookSettings, unknown>>;

/** Settings as the API takes them. */
export function settingsBody(settings: Partial<WebhookSettings>): SettingsBody {
  return Object.fromEntries(
    Object.entries(settings)
      .map(([key, value]) => [key, bodyValue(kinds.get(key), value)])
      .filter(([, value]) => value !== undefined),
  );
}

/** Undefined: the API keeps what is stored. */
function bodyValue(kind: Setting['type']['kind'] | undefined, value: SettingValues[string]): unknown {
  if (kind === 'condition') return typeof value === 'string' ? JSON.parse(value) : null;
  if (kind === 'mail') return String(value ?? '').trim() || null;
  return kind === 'routingKey' ? value || undefined : value;
}

/** The settings with a control in a section of the form, in order. */
export function settingsIn(section: FormSection, entityType: string, settings: WebhookSettings): Setting[] {
  return settingsOf(entityType)
    .filter(({ form }) => form.section === section && (form.isShown?.(settings) ?? true))
    .toSorted((one, other) => (one.form.position ?? 0) - (other.form.position ?? 0));
}

/** The line about a closed section: what each of the settings says about the values. */
export function sectionText(section: FormSection, entityType: string, settings: WebhookSettings): string {
  const texts = settingsIn(section, entityType, settings).map((setting) => textOf(setting, settings));
  return texts.filter((text) => text !== '').join(', ');
}

/** A setting without words is named where the value is not the usual one, unless the setting above has words for both. */
function textOf({ key, form, default: usual }: Setting, settings: SettingValues): string {
  if (form.summary !== undefined) return form.summary(settings);
  const value = settings[key];
  if (form.isBeside === true || value === usual || value === undefined || value === null) return '';
  return typeof value === 'boolean' ? form.name : `${form.name}: ${value.toLocaleString()}`;
}
