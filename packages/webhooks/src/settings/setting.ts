import type { webhookHealthType } from '@callout/domain/catalogue/webhook-health';

// Declarations are plain data, which the console and the CLI load as well: nothing here or in a declaration imports a
// validator, Node or the database. `../input/setting-fields.ts` has the reader of each type.

/** The types of settings. */
export type SettingType =
  /** A boolean that every PUT names, so null is refused. */
  | { readonly kind: 'boolean' }
  /** A boolean; null and a blank are false. */
  | { readonly kind: 'flag' }
  | { readonly kind: 'text'; readonly length: number }
  /** An address of a receiver, or `pull:`. */
  | { readonly kind: 'url'; readonly length: number }
  /** A mail address; null: no address. */
  | { readonly kind: 'mail' }
  /** A number within bounds; null: no limit. */
  | { readonly kind: 'limit'; readonly minimum: number; readonly maximum: number; readonly isWhole: boolean }
  | { readonly kind: 'choice'; readonly words: readonly [string, ...string[]] }
  /** Values with a reader of their own. */
  | { [Kind in OwnKind]: { readonly kind: Kind } }[OwnKind];

type OwnKind = 'condition' | 'requestHeaders' | 'receiverAuth' | 'authorities' | 'secret' | 'routingKey';

interface ValueOfKind {
  readonly boolean: boolean;
  readonly flag: boolean;
  readonly text: string;
  readonly url: string;
  readonly mail: string | null;
  readonly limit: number | null;
  /** The text of the JSON. */
  readonly condition: string | null;
  /** The text of the JSON, with a mask in place of each secret. */
  readonly requestHeaders: string;
  readonly receiverAuth: string;
  /** PEM. */
  readonly authorities: string | null;
  readonly secret: string;
  readonly routingKey: string | null;
}

/** The values of a setting as they are stored. */
export type ValueOf<Type extends SettingType> = Type extends { readonly words: readonly (infer Word)[] }
  ? Word
  : Type['kind'] extends keyof ValueOfKind
    ? ValueOfKind[Type['kind']]
    : never;

/** The settings of a webhook by their keys. */
export type SettingValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The sections of the form in the console, from top to bottom. */
export type FormSection =
  'basics' | 'subscriptions' | 'format' | 'condition' | 'delivery' | 'notices' | 'signature' | 'receiver';

/** A word that can be chosen. */
export interface FormChoice {
  readonly label: string;
  /** Shown below the control while the word is chosen. */
  readonly help?: string;
}

/** How the console shows a setting. */
export interface FormPart {
  /** Absent: a page of its own, or an editor of several settings, has the control. */
  readonly section?: FormSection;
  /** Settings of a section come in this order, and where equal in that of the list; absent: 0. */
  readonly position?: number;
  /** What the setting is called in a table. */
  readonly name: string;
  /** What the control is called; absent: as in a table. */
  readonly label?: string;
  readonly help?: string;
  readonly placeholder?: string;
  /** Of each word of a choice. */
  readonly choices?: Readonly<Record<string, FormChoice>>;
  /** The control has an editor of its own, by this name; absent: the type decides. */
  readonly editor?: 'condition' | 'receiver' | 'secret';
  /** Beside the control before it, instead of below. */
  readonly isBeside?: true;
  /** A sentence below the control. */
  readonly note?: string;
  /** What the form of a new webhook begins with; absent: the default, or nothing. */
  readonly initial?: string | number | boolean;
  /** Whether the control is shown; absent: always. */
  readonly isShown?: (values: SettingValues) => boolean;
  /** The part of the closed section's summary that is about the setting; an empty text: nothing. */
  readonly summary?: (values: SettingValues) => string;
}

/** The option of a setting in `callout webhooks create` and `update`; what is absent follows from key and type. */
export interface CommandOption {
  /** Without the dashes. */
  readonly option?: string;
  /** What stands for the value in help, such as `number`. */
  readonly argument?: string;
  /** Absent: the description of the setting. */
  readonly description?: string;
  /** Of a boolean: what the option with `no-` does. */
  readonly negated?: string;
  /** Of a boolean that shares a list option with others: the word that sets it. */
  readonly word?: string;
  /** What commands of their own set. */
  readonly isElsewhere?: true;
}

/** What changes of settings may do, in the transaction and under the lock of the webhook. */
export interface ChangeEffects {
  /** The webhook begins anew: no failures are counted, and events from now on make callouts. */
  readonly activate: () => Promise<void>;
  /** The next call waits for nothing that the rate before the change asks for. */
  readonly forgetRate: () => Promise<void>;
  /** Webhooks on `WebhookHealth` get an event about a new secret. */
  readonly announceSecret: () => void;
  /** An announced expiry of the client certificate is over. */
  readonly announceCertificate: () => void;
}

/** The place that reads a setting to act on it. */
export type SettingReader = 'match' | 'limits' | 'deliver' | 'notify' | 'deactivate' | 'payload' | 'pull';

/** One setting of a webhook, declared completely: every surface loops over the list of settings. */
export interface Setting {
  /** The name in bodies, items and queries. Its column is the same in snake case. */
  readonly key: string;
  readonly type: SettingType;
  /** What a create without the setting begins with and a PUT goes back to; absent: every create names it. */
  readonly default?: string | number | boolean | null;
  /** The meaning of the setting, as a sentence. */
  readonly description: string;
  /** The writes that require it: `create` is a POST, `replace` a PUT. */
  readonly requiredOf?: readonly ('create' | 'replace')[];
  /** Stored encrypted, whole or in part, and shown as asterisks. */
  readonly isSecret?: true;
  /** Only webhooks on this entity have the setting. */
  readonly only?: typeof webhookHealthType;
  /** Without meaning where a program fetches the callouts: there the setting must be null. */
  readonly isOfCalls?: true;
  /** The columns that follow from a value, beside the column of the setting. */
  readonly derived?: (value: never) => SettingValues;
  /** The name in SOAP; absent: the key in PascalCase. Values that are JSON have no place in SOAP. */
  readonly soapName?: string;
  readonly readBy: readonly SettingReader[];
  /** What a changed value does besides being stored. */
  readonly onChange?: (effects: ChangeEffects, value: unknown) => Promise<void> | void;
  readonly form: FormPart;
  readonly command?: CommandOption;
}

/** Declares a setting. */
export function setting<const Declared extends Setting>(declared: Declared): Declared {
  return declared;
}

const jsonKinds: readonly SettingType['kind'][] = ['condition', 'requestHeaders', 'receiverAuth'];

/** Whether the values are stored as the text of JSON. */
export function isJson({ type }: Setting): boolean {
  return jsonKinds.includes(type.kind);
}

/** The column of a setting; null: the value is stored encrypted, with others or in columns of a secret. */
export function columnOf({ key, type }: Setting): string | null {
  if (type.kind === 'secret' || type.kind === 'routingKey') return null;
  return key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** A boolean that most webhooks leave false. */
export const flag = { kind: 'flag' } as const;
