export { createCredentialStore } from './credentials.ts';
export { createResourceStore, type ResourceStore } from './resources.ts';
export { type CountedFailures, countSignInFailures, LOCKOUT_S, type SignIn } from './sign-in-failures.ts';
export { createTenantStore, type IssuedCredential, type TenantStore } from './tenants.ts';
export { createUdfDefinitionStore, type UdfDefinition, type UdfDefinitionStore } from './udf-definitions.ts';
export { findZoneOfUser, findZoneUrls, learnUsers, type ZoneAddress } from './zones.ts';
