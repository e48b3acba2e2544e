// The documents of the first share; see test/support/documents.ts.

import { testDocuments } from "../support/documents.js";

testDocuments(0);
