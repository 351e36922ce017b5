/**
 * Why a callout was sent. `Deactivated` is the call to a webhook's deactivation URL, `Digest` says which callouts were
 * delivered.
 */
export type Action = 'Create' | 'Update' | 'Delete' | 'Deactivated' | 'Digest';
