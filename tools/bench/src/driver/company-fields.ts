/** A field that fills the payload, with as many characters as it gets. */
export interface FillerField {
  readonly name: string;
  readonly characters: number;
}

/** The field that every event changes: the only one that is subscribed. */
export const CHANGED_FIELD = 'companyNumber';
/** Length of its values, all of them different. */
export const CHANGED_FIELD_CHARACTERS = 12;
/** Of a callout about a company with these fields. */
export const BODY_BYTES = 1024;
/** The fields of a company that every callout shows besides. */
export const fillers: readonly FillerField[] = [
  { name: 'webAddress', characters: 255 },
  { name: 'address1', characters: 128 },
  { name: 'address2', characters: 128 },
  { name: 'companyName', characters: 100 },
  { name: 'additionalAddressInformation', characters: 95 },
  { name: 'taxID', characters: 1 },
];
