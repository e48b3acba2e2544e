// The documents of the second share; see test/support/documents.ts.

import { testDocuments } from "../support/documents.js";

testDocuments(1);
