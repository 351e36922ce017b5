import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { parseAllDocuments } from 'yaml';

export const deployDirectory = path.resolve(import.meta.dirname, '../../../../deploy');
export const chart = path.join(deployDirectory, 'helm/callout');

/** Whether Helm is installed; without it, the manifests that are kept in deploy/kubernetes are all that can be looked at. */
export const hasHelm = spawnSync('helm', ['version']).status === 0;

/** Helm itself takes an old version of Kubernetes for granted when it was built from its sources. */
export const templateArgs = ['template', 'callout', chart, '--namespace', 'callout', '--kube-version', '1.31.0'];

export function helm(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('helm', args, { encoding: 'utf8' });
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: unknown;
  readonly [probe: string]: unknown;
}

/** What is looked at of an object; `faultsOf` looks at all of it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly egress?: readonly unknown[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly securityContext: unknown;
        readonly containers: readonly Container[];
      };
    };
    readonly [key: string]: unknown;
  };
}

export function readManifests(text: string): KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
}

/** What is wrong with manifests by the schemas of Kubernetes; empty when nothing is. */
export function faultsOf(text: string): string {
  const program = path.join(import.meta.dirname, 'check-manifests.mjs');
  return spawnSync(process.execPath, [program], { input: text, encoding: 'utf8' }).stderr;
}

/** The pods that objects make. */
export function podsOf(objects: readonly KubernetesObject[]) {
  return objects.flatMap(({ metadata, spec }) => (spec.template ? [{ owner: metadata.name, ...spec.template }] : []));
}
