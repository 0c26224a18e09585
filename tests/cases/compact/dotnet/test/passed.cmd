dotnet test
status 0
not recorded: there is no .NET here
