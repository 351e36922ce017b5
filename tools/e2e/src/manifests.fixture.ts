import { spawnSync } from 'node:child_process';
import path from 'node:path';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

export const deployDirectory = path.resolve(import.meta.dirname, '../../../deploy');
export const chart = path.join(deployDirectory, 'helm/callout');

/**
 * Whether Helm is installed; without it, the manifests that are kept in deploy/kubernetes are all that can be looked
 * at.
 */
export const hasHelm = spawnSync('helm', ['version']).status === 0;

/** Helm assumes an old version of Kubernetes when it was built from its sources. */
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

/** The parts of an object that tests read; `checkManifests` checks all of it. */
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

/** The schemas of the chart's objects. */
const models: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  'apps/v1 Deployment': apps.Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaling.HorizontalPodAutoscaler,
  'batch/v1 Job': batch.Job,
  'networking.k8s.io/v1 Ingress': networking.Ingress,
  'networking.k8s.io/v1 NetworkPolicy': networking.NetworkPolicy,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
  'v1 Service': core.Service,
};
/** Not Kubernetes' own. */
const withoutSchema = ['keda.sh/v1alpha1 ScaledObject', 'monitoring.coreos.com/v1 PodMonitor'];

/** Throws where a manifest violates the schema of Kubernetes. */
export function checkManifests(text: string): void {
  for (const document of parseAllDocuments(text)) {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const object = document.toJS() as KubernetesObject;
    const kind = `${object.apiVersion} ${object.kind}`;
    const Model = models[kind];
    if (Model !== undefined) new Model(object as never).validate();
    else if (!withoutSchema.includes(kind)) throw new Error(`no schema is known for ${kind}`);
  }
}

/** The pods that objects make. */
export function podsOf(objects: readonly KubernetesObject[]) {
  return objects.flatMap(({ metadata, spec }) => (spec.template ? [{ owner: metadata.name, ...spec.template }] : []));
}
