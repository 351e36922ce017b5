/** Why a callout was sent. `Deactivated` is the call to a webhook's deactivation URL. */
export type Action = 'Create' | 'Update' | 'Delete' | 'Deactivated';
