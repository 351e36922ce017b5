/** What the callouts of one webhook look like. */
export interface WebhookShape {
  /** Such as `CompanyWebhooks/3`. */
  readonly webhook: string;
  readonly name: string;
  readonly guid: string;
  readonly entityType: string;
  readonly actions: readonly string[];
  /** Whether bodies have the typed data, too: the format `typed` or `cloudevents`. */
  readonly isTyped: boolean;
  /** In the order of the metadata, system fields first. */
  readonly fields: readonly FieldShape[];
}

export interface FieldShape {
  /** The key in `Fields`: the name of a system field with a capital first letter, the label of a user-defined one. */
  readonly key: string;
  /** The name of a system field in typed data; absent: a user-defined field, which has its label there as well. */
  readonly name?: string;
  readonly isPicklist: boolean;
  readonly description: string;
  readonly dataType: string;
  /** Whether a record may be without a value. */
  readonly isNullable: boolean;
  readonly isAlwaysDisplayed: boolean;
  /** The values of a picklist; empty when it has none. */
  readonly picklist: readonly { readonly value: string; readonly label: string }[];
}
