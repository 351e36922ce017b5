// The parts of an OpenAPI 3.1 document of the document.

/** A JSON Schema, or any object of the document. */
export type Json = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
  readonly example?: unknown;
}

/** The media types of bodies and responses. */
export type MediaType =
  'application/json' | 'application/cloudevents+json' | 'text/event-stream' | 'application/x-ndjson';

export interface MediaObject {
  readonly schema: Json;
  readonly example?: unknown;
  /** Several, by name. */
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export type Content = Readonly<Partial<Record<MediaType, MediaObject>>>;

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Json;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Empty = needs no credentials; absent = as the whole document. */
  readonly security?: readonly Json[];
  /** The roles of credentials for the operation. */
  readonly 'x-roles'?: readonly string[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly description?: string; readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

/** Operations by method in lower case. */
export type PathItem = Readonly<Record<string, Operation>>;

export interface DocumentedTag {
  readonly name: string;
  readonly description: string;
}

/** A group of tags in viewers. */
export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    /** `identifier` is the identifier of SPDX. */
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Json[];
  readonly tags: readonly DocumentedTag[];
  readonly 'x-tagGroups': readonly TagGroup[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly name: string; readonly description: string }>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, Json>>;
  };
}
