/** Who changes configuration. */
export interface Actor {
  /**
   * `user`: with a credential of the tenant, or in a session of the console with a credential; `portal`: by a link to
   * the console; `operator`: by the operator API or a command on the server; `service`: Callout itself.
   */
  readonly kind: ActorKind;
  /** The acting resource of the tenant; null: the actor is none. */
  readonly resourceId: number | null;
  /** The credential of a user; null: the actor has none. */
  readonly credentialId: number | null;
}

export const actorKinds = ['user', 'portal', 'operator', 'service'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** A resource of the tenant. */
export function byResource(resourceId: number, credentialId: number | null = null): Actor {
  return { kind: 'user', resourceId, credentialId };
}

export const byOperator: Actor = { kind: 'operator', resourceId: null, credentialId: null };
export const byService: Actor = { kind: 'service', resourceId: null, credentialId: null };
