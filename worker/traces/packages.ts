import { needPeerPackages } from '../../src/files';

needPeerPackages('Tracing', ['@opentelemetry/api']);
