export * from './credential-input.ts';
export * from './resource-input.ts';
export * from './tenant-input.ts';
export * from './zone-input.ts';
