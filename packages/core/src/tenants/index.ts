export {
  type CredentialRole,
  credentialRoles,
  parseCredentialChanges,
  parseCredentialCreate,
} from './credential-input.ts';
export { parseOperatorLinkCreate, parsePortalLinkCreate, parseSignInLinkCreate } from './link-input.ts';
export { parseResourceChanges, parseResourceCreate } from './resource-input.ts';
export { parseTenantChanges, parseTenantCreate } from './tenant-input.ts';
export { parseZoneChanges, parseZoneCreate, type ZoneSettings } from './zone-input.ts';
