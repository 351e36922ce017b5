/** A credential of the API, as an operator makes it. */
export interface Credential {
  readonly userName: string;
  readonly secret: string;
  readonly apiIntegrationCode: string;
  /** Who acts, instead of the resource of the credential. Rights and ownership stay those of the credential. */
  readonly impersonationResourceId?: number | undefined;
}

/** The headers that every request carries. */
export function credentialHeaders(credential: Credential): Record<string, string> {
  const { userName, secret, apiIntegrationCode, impersonationResourceId } = credential;
  return {
    UserName: userName,
    Secret: secret,
    ApiIntegrationCode: apiIntegrationCode,
    ...(impersonationResourceId !== undefined && { ImpersonationResourceId: String(impersonationResourceId) }),
  };
}
