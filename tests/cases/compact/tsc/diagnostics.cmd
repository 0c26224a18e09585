npx tsc --noEmit --extendedDiagnostics
status 0
